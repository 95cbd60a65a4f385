/** A server's metrics in the Prometheus text format. */

export type MetricSample = { labels: Readonly<Record<string, string>>; value: number }
export type MetricFamily = {
  name: string
  /** counter, gauge, histogram, summary, untyped, or anything else. */
  type: string
  help: string
  /** Only sums and counts of histograms and summaries, without their buckets. */
  samples: MetricSample[]
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/
const LABEL = /([a-zA-Z_]\w*)\s*=\s*"((?:\\.|[^"\\])*)"/g
const ESCAPES: Record<string, string> = { n: '\n', '"': '"', '\\': '\\' }
/** Suffixes of samples that belong to a family of another name. */
const PART = /_(bucket|sum|count|created|info)$/

/** The families in order. Lines that cannot be parsed are left out. */
export function parseMetrics(text: string): MetricFamily[] {
  const families = new Map<string, MetricFamily>()
  const family = (name: string): MetricFamily => {
    const found = families.get(name) ?? { name, type: 'untyped', help: '', samples: [] }
    families.set(name, found)
    return found
  }
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line.startsWith('#')) {
      const [, word, name, rest = ''] = /^#\s+(HELP|TYPE)\s+(\S+)\s*(.*)$/.exec(line) ?? []
      if (!word || !name) continue
      if (word === 'TYPE') family(name).type = rest.trim()
      else family(name).help = unescaped(rest)
      continue
    }
    const [, name, labelText = '', number] = SAMPLE.exec(line) ?? []
    const value = readNumber(number)
    if (!name || value === undefined) continue
    const labels = labelsOf(labelText)
    const [, part] = PART.exec(name) ?? []
    const base = name.replace(PART, '')
    if (part && families.has(base) && isDistribution(families.get(base))) {
      if (part === 'sum' || part === 'count') family(base).samples.push({ labels: { ...labels, part }, value })
    } else family(name).samples.push({ labels, value })
  }
  return [...families.values()].filter(({ samples }) => samples.length > 0)
}

const isDistribution = (family: MetricFamily | undefined) => family?.type === 'histogram' || family?.type === 'summary'

function labelsOf(text: string): Record<string, string> {
  const labels: [string, string][] = []
  for (const [, name, value] of text.matchAll(LABEL)) labels.push([name ?? '', unescaped(value ?? '')])
  return Object.fromEntries(labels)
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (whole, one: string) => ESCAPES[one] ?? whole)

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[+-]?Inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  const value = Number(text)
  return Number.isNaN(value) ? undefined : value
}

/**
 * The value to chart from two readings: gauges unchanged, counters per second, distributions by their mean since the
 * last one.
 */
export function pointOf(now: MetricFamily, before: MetricFamily | undefined, seconds: number): number | undefined {
  const total = (family: MetricFamily, part?: string) =>
    family.samples.reduce((sum, { labels, value }) => (labels.part === part ? sum + value : sum), 0)
  if (now.type === 'counter') {
    if (!before || seconds <= 0) return undefined
    const grown = total(now) - total(before)
    // A lower value means the server restarted, so all of it is new.
    return (grown >= 0 ? grown : total(now)) / seconds
  }
  if (isDistribution(now)) {
    const [sum, many] = [total(now, 'sum'), total(now, 'count')]
    const [sumBefore, manyBefore] = before ? [total(before, 'sum'), total(before, 'count')] : [0, 0]
    return many > manyBefore ? (sum - sumBefore) / (many - manyBefore) : undefined
  }
  return total(now)
}
