import type { tracesSchemas } from './traces.schemas'
import { defineApi } from './wire/api'

/** The tracing SDK's endpoints for logging runs, and those to read them. */
export const traces = defineApi<typeof tracesSchemas>()('traces', {
  getTracingInfo: { method: 'GET', path: '/info', role: 'viewer', effect: 'read' },
  createTraceRun: { method: 'POST', path: '/runs', role: 'developer', effect: 'write' },
  updateTraceRun: { method: 'PATCH', path: '/runs/{run_id}', role: 'developer', effect: 'write' },
  createTraceRunBatch: { method: 'POST', path: '/runs/batch', role: 'developer', effect: 'write' },
  createTraceRunMultipart: { method: 'POST', path: '/runs/multipart', role: 'developer', effect: 'write' },
  queryTraceRuns: { method: 'POST', path: '/runs/query', role: 'viewer', effect: 'read' },
  getTraceTotals: { method: 'POST', path: '/runs/stats', role: 'viewer', effect: 'read' },
  listTraceTree: { method: 'GET', path: '/traces/{trace_id}/runs', role: 'viewer', effect: 'read' },
  getTraceRun: { method: 'GET', path: '/runs/{run_id}', role: 'viewer', effect: 'read' },
  getTraceAttachment: { method: 'GET', path: '/runs/{run_id}/attachment', role: 'viewer', effect: 'read' },
  listTracingProjects: { method: 'GET', path: '/sessions', role: 'viewer', effect: 'read' },
  createTracingProject: { method: 'POST', path: '/sessions', role: 'admin', effect: 'write' },
  getTracingProject: { method: 'GET', path: '/sessions/{session_id}', role: 'viewer', effect: 'read' },
  updateTracingProject: { method: 'PATCH', path: '/sessions/{session_id}', role: 'admin', effect: 'write' },
  deleteTracingProject: { method: 'DELETE', path: '/sessions/{session_id}', role: 'admin', effect: 'write' },
  createFeedback: { method: 'POST', path: '/feedback', role: 'developer', effect: 'write' },
})
