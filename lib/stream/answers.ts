import { isRecord } from '@/lib/json/guards'

/**
 * The kind of question that an interrupt asks, judged by its shape. `actions`: tool calls to review, answered by one
 * decision each; `inbox`: requests of an agent inbox, answered by `{type, args}`; `choice`: a list of texts, answered
 * by one of them.
 */
export type Ask =
  | { kind: 'actions'; isCamel: boolean; argsKey: string; actions: AskedAction[] }
  | { kind: 'inbox'; isList: boolean; actions: AskedAction[] }
  | { kind: 'choice'; options: string[] }
  | { kind: 'any' }
export type Verb = 'approve' | 'edit' | 'respond' | 'reject'
export type AskedAction = { name: string; args: unknown; description: string | undefined; verbs: readonly Verb[] }
/** `args` is for `edit`, `message` for `respond` and `reject`. */
export type Decision = { verb: Verb; args?: unknown; message?: string }

const VERBS: readonly Verb[] = ['approve', 'edit', 'respond', 'reject']
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const readAsk = (value: unknown): Ask => readActions(value) ?? readInbox(value) ?? readChoice(value)

function readActions(value: unknown): Ask | undefined {
  if (!isRecord(value)) return undefined
  const isCamel = 'actionRequests' in value
  const requests = value.action_requests ?? value.actionRequests
  if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isRecord)) return undefined
  const configs = [value.review_configs ?? value.reviewConfigs].flat().filter(isRecord)
  const argsKey = requests.some((one) => 'arguments' in one && !('args' in one)) ? 'arguments' : 'args'
  const actions = requests.map((one, at): AskedAction => {
    const name = text(one.name) ?? text(one.action) ?? ''
    const config = configs.find((other) => (other.action_name ?? other.actionName) === name) ?? configs[at]
    const allowed = config?.allowed_decisions ?? config?.allowedDecisions
    const verbs = Array.isArray(allowed) ? VERBS.filter((verb) => allowed.includes(verb)) : []
    return {
      name,
      args: one[argsKey],
      description: withoutArgs(text(one.description), name, one[argsKey]),
      verbs: verbs.length > 0 ? verbs : ['approve', 'edit', 'reject'],
    }
  })
  return { kind: 'actions', isCamel, argsKey, actions }
}

/** The middleware repeats name and arguments after its words, where no description is given. */
function withoutArgs(description: string | undefined, name: string, args: unknown): string | undefined {
  const at = args === undefined ? -1 : (description?.indexOf(`\n\nTool: ${name}\nArgs: `) ?? -1)
  return at < 0 ? description : description?.slice(0, at)
}

function readInbox(value: unknown): Ask | undefined {
  const isList = Array.isArray(value)
  const requests = isList ? value : [value]
  const actions = requests.map((one): AskedAction | undefined => {
    if (!isRecord(one) || !isRecord(one.action_request) || !isRecord(one.config)) return undefined
    const { config } = one
    const allows: Record<Verb, unknown> = {
      approve: config.allow_accept,
      edit: config.allow_edit,
      respond: config.allow_respond,
      reject: config.allow_ignore,
    }
    return {
      name: text(one.action_request.action) ?? '',
      args: one.action_request.args,
      description: text(one.description),
      verbs: VERBS.filter((verb) => allows[verb] === true),
    }
  })
  const known = actions.filter((one) => one !== undefined)
  return known.length > 0 && known.length === actions.length ? { kind: 'inbox', isList, actions: known } : undefined
}

function readChoice(value: unknown): Ask {
  const options = isRecord(value) && Array.isArray(value.options) ? value.options : []
  const texts = options.filter((one): one is string => typeof one === 'string' && one !== '')
  return texts.length > 0 && texts.length === options.length
    ? { kind: 'choice', options: [...new Set(texts)] }
    : { kind: 'any' }
}

/** The answer from one decision per action, in their order. */
export function answerTo(ask: Extract<Ask, { actions: AskedAction[] }>, decisions: readonly Decision[]): unknown {
  const of = (at: number): AskedAction => ask.actions[at] ?? { name: '', args: {}, description: undefined, verbs: [] }
  if (ask.kind === 'inbox') return decisions.map((decision, at) => inboxAnswer(of(at).name, decision))
  return {
    decisions: decisions.map(({ verb, args, message }, at) => {
      if (verb === 'edit')
        return {
          type: 'edit',
          [ask.isCamel ? 'editedAction' : 'edited_action']: { name: of(at).name, [ask.argsKey]: args },
        }
      if (verb === 'approve') return { type: 'approve' }
      return message || verb === 'respond' ? { type: verb, message: message ?? '' } : { type: verb }
    }),
  }
}

const INBOX_TYPES: Record<Verb, string> = { approve: 'accept', edit: 'edit', respond: 'response', reject: 'ignore' }

function inboxAnswer(action: string, { verb, args, message }: Decision): { type: string; args: unknown } {
  const given = verb === 'edit' ? { action, args } : verb === 'respond' ? (message ?? '') : null
  return { type: INBOX_TYPES[verb], args: given }
}

/**
 * The `resume` value of a run that answers. A single interrupt takes its answer directly; with several, answers are
 * keyed by interrupt id, and the others stay open.
 */
export function resumeWith(answers: readonly { id: string; answer: unknown }[], openCount: number): unknown {
  const [only] = answers
  return openCount === 1 && answers.length === 1
    ? only?.answer
    : Object.fromEntries(answers.map(({ id, answer }) => [id, answer]))
}
