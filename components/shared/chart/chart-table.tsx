import type { ChartModel } from './chart'

type Props = { label: string; empty: string; times: readonly string[]; charts: readonly ChartModel[] }

/** The numbers of charts as a table, without empty intervals. */
export function ChartTable({ label, empty, times, charts }: Props) {
  const columns = charts.flatMap(({ title, series, format }) =>
    series.map((one) => ({
      name: one.label === title ? title : `${title}: ${one.label}`,
      values: one.values,
      format,
    })),
  )
  const shown = times.flatMap((time, index) =>
    columns.some(({ values }) => values[index] !== null && values[index] !== undefined) ? [{ time, index }] : [],
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="max-h-80 overflow-auto rounded-lg border bg-panel">
      <table aria-label={label} className="w-full border-collapse text-right text-xs tabular-nums">
        <thead>
          <tr className="text-ink-3 [&>th]:sticky [&>th]:top-0 [&>th]:bg-sunken">
            <th scope="col" className="h-8 whitespace-nowrap px-3 text-left font-medium">
              From
            </th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" className="h-8 whitespace-nowrap px-3 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, index }) => (
            <tr key={time} className="border-t">
              <th scope="row" className="h-7 whitespace-nowrap px-3 text-left font-normal text-ink-2">
                {time}
              </th>
              {columns.map(({ name, values, format }) => (
                <td key={name} className="h-7 whitespace-nowrap px-3">
                  {values[index] === null || values[index] === undefined ? '–' : format(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 ? <p className="px-3 py-2 text-ink-3 text-xs">{empty}</p> : null}
    </section>
  )
}
