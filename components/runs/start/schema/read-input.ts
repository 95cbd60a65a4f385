import { AppError, type ErrorCode, type ErrorView } from '@/lib/errors'
import { type JsonSchema, knownSchema, mayTakeMessages } from './takes-messages'

type InputKind = 'message' | 'json'
type Read = { data: { input_schema?: JsonSchema | null } | undefined; error: AppError | null }

/** How a server says that it has no schemas. */
const TELLS_NONE: readonly ErrorCode[] = ['not_found', 'unsupported', 'invalid']

export type GraphInput = {
  /** `failed`: the schemas could not be read, so the person says what the graph takes. */
  status: 'reading' | 'failed' | 'known'
  schema: JsonSchema | undefined
  hasMessages: boolean
  /** How the input is written; undefined until it is known or chosen. */
  kind: InputKind | undefined
  error: ErrorView | undefined
}

/** What is known of a graph's input from a read of its schemas. `isChosen`: the wanted kind was chosen, not just the default. */
export function readInput({ data, error }: Read, wanted: InputKind, isChosen: boolean): GraphInput {
  if (data === undefined && !(error && TELLS_NONE.includes(error.code))) {
    const kind = isChosen || wanted === 'json' ? wanted : undefined
    return { status: error ? 'failed' : 'reading', schema: undefined, hasMessages: false, kind, error: error?.view }
  }
  const schema = knownSchema(data?.input_schema)
  const hasMessages = mayTakeMessages(schema)
  return { status: 'known', schema, hasMessages, kind: hasMessages ? wanted : 'json', error: undefined }
}

/** What is known of a graph's input once its schemas have been read, for a message that waits for them. */
export const readForMessage = (schemas: Promise<Read['data']>): Promise<GraphInput> =>
  schemas.then(
    (data) => readInput({ data, error: null }, 'message', true),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return readInput({ data: undefined, error }, 'message', true)
    },
  )

/** What to do where the schemas could not be read. */
export const CHOOSE_INPUT = 'What this graph takes could not be read. Choose Message or JSON.'
