'use client'
import { Figures } from './figures-table'
import { RecordFields } from './record-fields'
import { KNOWN_KEYS, SECTIONS, VOLUME_NAMES } from './spec-shapes'
import { othersOf, partAt, type Spec, withKey } from './spec-value'

/** A resource spec as a form. Fields that it does not know are listed and kept. */
export function SpecForm({ spec, onChange }: { spec: Spec; onChange: (spec: Spec) => void }) {
  const others = Object.keys(othersOf(spec, KNOWN_KEYS))
  const volumes = (Array.isArray(spec.volumes) ? spec.volumes : []).map((one: unknown) => partAt(one, ['name']))
  return (
    <div className="flex flex-col gap-4">
      <datalist id={VOLUME_NAMES}>
        {[...new Set(volumes)].map((name) =>
          typeof name === 'string' && name ? <option key={name} value={name} /> : null,
        )}
      </datalist>
      <Figures spec={spec} onChange={(field, value) => onChange(withKey(spec, field, value))} />
      {SECTIONS.map(({ title, note, fields }) => (
        <section key={title} aria-label={title} className="rounded-lg border bg-panel p-4">
          <h3 className="font-semibold text-sm">{title}</h3>
          {note ? <p className="text-ink-3 text-xs">{note}</p> : null}
          <div className="mt-3">
            <RecordFields fields={fields} path={[]} value={spec} onChange={onChange} />
          </div>
        </section>
      ))}
      {others.length > 0 ? (
        <p className="text-ink-2 text-sm">
          Other fields, kept unchanged: <code className="break-all font-mono text-xs">{others.join(', ')}</code>. Edit
          them as YAML or JSON.
        </p>
      ) : null}
    </div>
  )
}
