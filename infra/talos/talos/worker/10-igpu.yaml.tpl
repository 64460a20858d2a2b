{{- /* Workers with the host's iGPU: the schematic brings the i915 firmware, the label tells pods where it is. */ -}}
{{- if .Node.Data.igpu }}
machine:
  kernel:
    modules:
      - name: i915
  nodeLabels:
    kueber.eu/igpu: intel-i915
{{- end }}
