/** What runs are grouped by, and what filters can be filled with. Without schemas, because browsers need the names. */
export const TRACE_GROUPS = ['model', 'name', 'tag'] as const
export const TRACE_FACETS = ['model', 'provider', 'finish_reason', 'name', 'tag'] as const
