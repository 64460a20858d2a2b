# With several networks on a node, kubelet would take the first address that it finds.
machine:
  kubelet:
    nodeIP:
      validSubnets:
        - {{ .Data.nodeSubnet }}
