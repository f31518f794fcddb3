{{- define "harbour.labels" -}}
app.kubernetes.io/name: harbour
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
