import type { RunTemplate } from '@/lib/run-templates'

/** What the dialog about templates is open for. */
export type TemplateTask = { kind: 'save' } | { kind: 'rename' | 'delete'; template: RunTemplate }
