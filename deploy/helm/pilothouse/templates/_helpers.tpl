{{- define "pilothouse.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "pilothouse.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "pilothouse.labels" -}}
{{ include "pilothouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- /* Whether there are always several pods: a budget for one that is alone would keep its node from being drained. Not empty if so. */ -}}
{{- define "pilothouse.hasBudget" -}}
{{- $fewest := ternary .autoscaling.minReplicas .replicas .autoscaling.enabled }}
{{- if and .podDisruptionBudget.enabled (gt (int $fewest) 1) }}true{{ end }}
{{- end }}
{{- define "pilothouse.gateway.name" -}}
{{ include "pilothouse.name" . }}-gateway
{{- end }}
{{- define "pilothouse.gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "pilothouse.gateway.labels" -}}
{{ include "pilothouse.gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "pilothouse.gateway.secret" -}}
{{- if (.Values.gateway.externalSecret).enabled }}{{ include "pilothouse.gateway.name" . }}{{ else }}{{ required "Set gateway.existingSecret, or gateway.externalSecret.enabled." .Values.gateway.existingSecret }}{{ end }}
{{- end }}
{{- define "pilothouse.gateway.url" -}}
{{- if .Values.gateway.enabled }}{{ .Values.gateway.url | default (printf "http://%s.%s.svc" (include "pilothouse.gateway.name" .) .Release.Namespace) }}{{ end }}
{{- end }}
{{- define "pilothouse.platform.name" -}}
{{ include "pilothouse.name" . }}-platform
{{- end }}
{{- define "pilothouse.platform.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-platform
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "pilothouse.platform.labels" -}}
{{ include "pilothouse.platform.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "pilothouse.platform.secret" -}}
{{- if (.Values.platform.externalSecret).enabled }}{{ include "pilothouse.platform.name" . }}{{ else }}{{ required "Set platform.existingSecret, or platform.externalSecret.enabled." .Values.platform.existingSecret }}{{ end }}
{{- end }}
{{- define "pilothouse.platform.url" -}}
http://{{ include "pilothouse.platform.name" . }}.{{ .Release.Namespace }}.svc
{{- end }}
{{- define "pilothouse.secret" -}}
{{- if .Values.externalSecret.enabled }}{{ include "pilothouse.name" . }}{{ else }}{{ required "Set existingSecret, or externalSecret.enabled." .Values.existingSecret }}{{ end }}
{{- end }}
{{- /* Whether the console uses this chart's platform: not empty if so. */ -}}
{{- define "pilothouse.platform.isUsed" -}}
{{- if and (.Values.platform).enabled (or (eq .Values.controlPlane.kind "embedded") (and (not .Values.controlPlane.url) (not .Values.controlPlane.kind))) }}true{{ end }}
{{- end }}
{{- /* The gateways, whose Service is no public address and not the control plane's origin, and what else is allowed. */ -}}
{{- define "pilothouse.allowedUpstreams" -}}
{{- list (ternary (include "pilothouse.gateway.url" .) "" (eq (include "pilothouse.platform.isUsed" .) "true")) .Values.env.ALLOWED_UPSTREAMS | compact | join " " }}
{{- end }}
{{- define "pilothouse.controlPlane.url" -}}
{{- if and (include "pilothouse.platform.isUsed" .) (not .Values.controlPlane.url) }}{{ include "pilothouse.platform.url" . }}{{ else }}{{ required "Set controlPlane.url, or platform.enabled." .Values.controlPlane.url }}{{ end }}
{{- end }}
{{- define "pilothouse.controlPlane.kind" -}}
{{ .Values.controlPlane.kind | default (ternary "embedded" "control-plane" (eq (include "pilothouse.platform.isUsed" .) "true")) }}
{{- end }}
{{- /* Where the pods of a part run, from its values. */ -}}
{{- define "pilothouse.placement" -}}
{{- range $name := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with index $ $name }}
{{ $name }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- define "pilothouse.dnsPorts" -}}
{{- range .Values.dnsPorts | default (list 53) }}
- { port: {{ . }}, protocol: UDP }
- { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end }}
{{- /* This chart's pods as peers of network policies, and those of agents. */ -}}
{{- define "pilothouse.peer" -}}
- podSelector: { matchLabels: {{ include "pilothouse.selector" . | fromYaml | toJson }} }
{{- end }}
{{- define "pilothouse.platform.peer" -}}
- podSelector: { matchLabels: {{ include "pilothouse.platform.selector" . | fromYaml | toJson }} }
{{- end }}
{{- define "pilothouse.gateway.peer" -}}
- podSelector: { matchLabels: {{ include "pilothouse.gateway.selector" . | fromYaml | toJson }} }
{{- end }}
{{- define "pilothouse.agents.peers" -}}
{{- range .Values.platform.namespaces | default (list .Release.Namespace) }}
- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ . }} } }
  podSelector: { matchLabels: { app.kubernetes.io/managed-by: pilothouse } }
{{- end }}
{{- end }}
