import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { count } from '@/lib/format/format'
import { jsonText } from '@/lib/json/value'
import type { CallSettings, OfferedTool } from '@/lib/traces/settings'

const SHOWN = 120

/** What a model was called with next to its messages: parameters, offered tools, the schema of its answer. */
export function SettingsView({ settings: { tools, values, responseFormat } }: { settings: CallSettings }) {
  const [short, long] = [values.filter(isShort), values.filter((one) => !isShort(one))]
  if (values.length === 0 && tools.length === 0 && responseFormat === undefined) return null
  return (
    <div className="mb-2 space-y-1.5 rounded-md border bg-sunken/60 px-2.5 py-1.5 text-xs">
      {short.length > 0 ? (
        <dl className="flex flex-wrap gap-x-4 gap-y-1">
          {short.map(([name, value]) => (
            <div key={name} className="flex min-w-0 gap-1.5">
              <dt className="text-ink-3">{name}</dt>
              <dd className="min-w-0 break-all font-mono">
                <VisibleText>{textOf(value)}</VisibleText>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {long.map(([name, value]) => (
        <Folded key={name} title={name} value={value} />
      ))}
      {responseFormat === undefined ? null : <Folded title="Response schema" value={responseFormat} />}
      {tools.length > 0 ? <Tools tools={tools} /> : null}
    </div>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const isShort = ([, value]: readonly [string, unknown]): boolean => textOf(value).length <= SHOWN

const Folded = ({ title, value }: { title: string; value: unknown }) => (
  <details>
    <summary className="select-none text-ink-2">{title}</summary>
    <LongText text={typeof value === 'string' ? value : jsonText(value)} className="mt-1 font-mono" />
  </details>
)

const Tools = ({ tools }: { tools: readonly OfferedTool[] }) => (
  <details>
    <summary className="select-none break-words text-ink-2">
      {tools.length === 1 ? '1 tool offered' : `${count(tools.length)} tools offered`}{' '}
      <span className="font-mono text-ink-3">
        <VisibleText>
          {tools
            .map(({ name }) => name)
            .join(', ')
            .slice(0, 2 * SHOWN)}
        </VisibleText>
      </span>
    </summary>
    <ul className="mt-1 space-y-1.5">
      {tools.map(({ name, description, schema }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tools never change order
        <li key={index}>
          <code className="font-medium font-mono">
            <VisibleText>{name}</VisibleText>
          </code>
          {description ? <LongText text={description} className="text-ink-2" /> : null}
          {schema === undefined ? null : <Folded title="Parameters" value={schema} />}
        </li>
      ))}
    </ul>
  </details>
)
