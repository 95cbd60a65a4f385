import type { RunTemplate } from '@/lib/run-templates'

/** What a dialog is open for. */
export type TemplateTask = { kind: 'save' } | { kind: 'rename' | 'delete'; template: RunTemplate }
