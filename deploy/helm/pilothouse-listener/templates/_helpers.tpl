{{- define "listener.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "listener.secret" -}}
{{- if (.Values.externalSecret).enabled }}{{ include "listener.name" . }}{{ else }}{{ required "Set existingSecret, or externalSecret.enabled." .Values.existingSecret }}{{ end }}
{{- end }}
{{- define "listener.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "listener.labels" -}}
{{ include "listener.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
