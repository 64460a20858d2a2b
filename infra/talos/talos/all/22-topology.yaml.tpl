# Replicas spread over zones then stand on different Proxmox hosts.
machine:
  nodeLabels:
    topology.kubernetes.io/region: home
    topology.kubernetes.io/zone: {{ .Node.Data.host }}
