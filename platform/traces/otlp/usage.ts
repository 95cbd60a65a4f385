import { isRecord } from '@/lib/json/guards'
import type { Json } from '@/lib/traces/blocks/values'
import { firstNumber, unpack } from './attributes'

/** Token counts, for `lib/traces/facts.ts`. */
export function usageOf(attributes: Json): Json | undefined {
  const given = unpack(attributes['langsmith.usage_metadata'])
  if (isRecord(given)) return given
  const count = (...keys: string[]) => firstNumber(attributes, ...keys)
  const input = count(
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'llm.token_count.prompt',
  )
  const output = count(
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    'llm.token_count.completion',
  )
  const total = count(
    'gen_ai.usage.total_tokens',
    'llm.usage.total_tokens',
    'ai.usage.totalTokens',
    'llm.token_count.total',
  )
  if (input === undefined && output === undefined && total === undefined) return undefined
  const inputDetails = detailsOf(attributes['gen_ai.usage.input_token_details'], {
    cache_read: count(
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      'ai.usage.cachedInputTokens',
      'llm.token_count.prompt_details.cache_read',
    ),
    cache_creation: count(
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'llm.token_count.prompt_details.cache_write',
    ),
  })
  const outputDetails = detailsOf(attributes['gen_ai.usage.output_token_details'], {
    reasoning: count(
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.reasoning_tokens',
      'ai.usage.reasoningTokens',
      'llm.token_count.completion_details.reasoning',
    ),
  })
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    input_token_details: inputDetails,
    output_token_details: outputDetails,
  }
}

function detailsOf(given: unknown, counted: Record<string, number | undefined>): Json {
  const value = unpack(given)
  const found = Object.entries(counted).filter(([, count]) => count)
  return { ...(isRecord(value) ? value : {}), ...Object.fromEntries(found) }
}
