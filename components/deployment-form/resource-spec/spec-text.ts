import { isLosslessNumber, LosslessNumber } from 'lossless-json'
import { Document, isScalar, parseDocument, type ScalarTag } from 'yaml'
import { findJsonProblem } from '@/components/shared/json/json-problem'
import { isRecord } from '@/lib/json/guards'
import { isExact, parseJson, printJson } from '@/lib/json/lossless'
import { prettyJson, type Spec } from './spec-value'

// Loaded only by the text view, because the YAML library is large.

export type Format = 'yaml' | 'json'
export type TextProblem = { line: number; column: number; message: string }
export type ParsedText = { spec: Spec } | { problem: TextProblem }

/** A number from YAML digits in JSON notation. */
function numberFrom(digits: string): number | LosslessNumber {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = /^([-+]?)(\d*)\.?(\d*)(.*)$/.exec(digits) ?? []
  const plain = `${sign === '-' ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction && `.${fraction}`}${exponent}`
  return isExact(plain) ? Number(plain) : new LosslessNumber(plain)
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || isLosslessNumber(value)
const decimal: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isNumber,
  test: /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/,
  resolve: numberFrom,
  stringify: ({ value }) => printJson(value),
}
const based: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  identify: () => false,
  test: /^0(x[\da-fA-F]+|o[0-7]+)$/,
  resolve: (text) => numberFrom(BigInt(text).toString()),
  stringify: ({ value }) => printJson(value),
}
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  // Our tags come first, so that no digit is lost.
  customTags: (tags: readonly unknown[]) => [decimal, based, ...(tags as ScalarTag[])],
} as const

export function printSpec(spec: Spec, format: Format): string {
  if (format === 'json') return `${prettyJson(spec)}\n`
  return new Document(spec, { ...OPTIONS, aliasDuplicateObjects: false }).toString({ lineWidth: 0 })
}

/** Parses a spec, or reports the first error. Duplicate keys are errors, because one value would be lost. */
export function parseSpec(text: string, format: Format): ParsedText {
  if (text.trim() === '') return { spec: {} }
  const syntax = format === 'json' ? findJsonProblem(text) : undefined
  if (syntax) return { problem: syntax }
  const document = parseDocument(text, OPTIONS)
  // JSON has its own parser, so only the YAML parser's duplicate-key error counts here.
  const error = document.errors.find(({ code }) => format === 'yaml' || code === 'DUPLICATE_KEY')
  if (error) {
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 }
    const [message = ''] = error.message.replace(/ at line \d+, column \d+:?/, '').split('\n')
    return { problem: { line, column: col, message: `${message}.` } }
  }
  try {
    const value = format === 'json' ? parseJson(text) : treeOf(document)
    if (isRecord(value)) return { spec: value }
    return {
      problem: { line: 1, column: 1, message: 'A resource spec must be an object with keys and values.' },
    }
  } catch (error) {
    return { problem: { line: 1, column: 1, message: error instanceof Error ? error.message : String(error) } }
  }
}

function treeOf(document: ReturnType<typeof parseDocument>): unknown {
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return {}
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  refuseInfinite(value)
  return value
}

/** YAML has the numbers `.inf` and `.nan`; JSON does not. */
function refuseInfinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('Infinity and NaN cannot be sent. Use quotes for text.')
  if (Array.isArray(value)) value.forEach(refuseInfinite)
  else if (isRecord(value)) Object.values(value).forEach(refuseInfinite)
}
