# Talos would make up a name; topf's `host` is only topf's own.
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: {{ .Node.Host }}
