import { z } from 'zod'
import { FeedbackCreate, TraceRunBatch, TraceRunCreate, TraceRunPatch, TracingInfo } from './traces/intake'
import {
  TracingProject,
  TracingProjectCreate,
  TracingProjectPatch,
  TracingProjectQuery,
  TracingProjectsQuery,
} from './traces/projects'
import { TraceRunsPage, TraceRunsQuery, TraceTotals, TraceTotalsQuery, TraceTreeQuery } from './traces/run-queries'
import { TraceAttachment, TraceAttachmentQuery, TraceRun } from './traces/trace-run'
import type { RowSchemas } from './wire/api'

/** 202 with any small document. */
const accepted = z.unknown()

/** The schemas of the tracing operations; keys match the rows in `traces.ts`. */
export const tracesSchemas = {
  getTracingInfo: { response: TracingInfo },
  createTraceRun: { body: TraceRunCreate, response: accepted },
  updateTraceRun: { body: TraceRunPatch, response: accepted },
  createTraceRunBatch: { body: TraceRunBatch, response: accepted },
  // The body is multipart/form-data; `parsePartName` reads the names of its parts.
  createTraceRunMultipart: { response: accepted },
  queryTraceRuns: { body: TraceRunsQuery, response: TraceRunsPage },
  getTraceTotals: { body: TraceTotalsQuery, response: TraceTotals },
  listTraceTree: { query: TraceTreeQuery, response: TraceRunsPage },
  getTraceRun: { response: TraceRun },
  getTraceAttachment: { query: TraceAttachmentQuery, response: TraceAttachment },
  listTracingProjects: { query: TracingProjectsQuery, response: z.array(TracingProject) },
  createTracingProject: { body: TracingProjectCreate, response: TracingProject },
  getTracingProject: { query: TracingProjectQuery, response: TracingProject },
  updateTracingProject: { body: TracingProjectPatch, response: TracingProject },
  deleteTracingProject: { response: z.unknown() },
  createFeedback: { body: FeedbackCreate, response: accepted },
} satisfies Record<string, RowSchemas>
