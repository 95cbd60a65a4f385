import type { RunTemplate } from '@/lib/lists/run-templates'

/** What the dialog about templates is open for. */
export type TemplateTask = { kind: 'save' } | { kind: 'rename' | 'delete'; template: RunTemplate }
