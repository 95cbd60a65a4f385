import 'server-only'
import { redactAllText, redactPlace } from '@/lib/contracts/wire/redact'
import type { LogEntry, RecordingSummary } from '@/lib/stream/log'

// What a reader without an account gets of a recording: docs/decisions/0064-public-links.md

/** The facts of the run, without its place and people. A field that is added to the type stays here unless it is named. */
export function publicSummary(summary: RecordingSummary): RecordingSummary {
  const { id, assistant, assistantVersion, phase, outcome, startedAt, endedAt, entries, bytes, isStateless } = summary
  return {
    ...{ id, workspace: '', deployment: '', thread: null, run: null, assistant, assistantVersion, phase, outcome },
    ...{ startedBy: '', startedAt, endedAt, entries, bytes, isStateless },
    request: redactAllText(summary.request),
  }
}

/** The entry with every field redacted, whatever it is called. The server's record of the run is left out. */
export function publicEntry(entry: LogEntry): LogEntry {
  const { run: _record, ...fields }: LogEntry & { run?: string } = entry
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? redactAllText(value) : redactPlace(value),
    ]),
  ) as LogEntry // a text stays a text, and a number what it is
}
