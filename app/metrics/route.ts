import { serveMetrics } from '@/lib/server/start/metrics'

export const dynamic = 'force-dynamic'

/** Metrics of this process in the Prometheus text format, for the bearer of METRICS_TOKEN. */
export const GET = serveMetrics
