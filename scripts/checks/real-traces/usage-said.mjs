// What a provider's answer says about its tokens, by the API references, read from the bytes that were sent and not by the
// console's reader.

/**
 * Input and output tokens of one answer; undefined if it says nothing. Input includes what was read from or written to a
 * cache, output includes reasoning.
 * @param {readonly any[]} payloads the JSON of the answer, or of each event of its stream that was sent
 * @returns {[input: number, output: number] | undefined}
 */
export function usageSaid(payloads) {
  const last = (pick) => payloads.map(pick).findLast((one) => one !== undefined && one !== null)
  const gemini = last((one) => one.usageMetadata)
  if (gemini) return [gemini.promptTokenCount, gemini.totalTokenCount - gemini.promptTokenCount]
  const ollama = last((one) => (one.eval_count === undefined ? undefined : one))
  if (ollama) return [ollama.prompt_eval_count, ollama.eval_count]
  const begun = last((one) => one.message?.usage)
  const usage = last((one) => one.usage ?? one.response?.usage)
  if (begun) return [inputOf(begun), usage?.output_tokens ?? begun.output_tokens]
  if (!usage) return undefined
  if (usage.prompt_tokens !== undefined) return [usage.prompt_tokens, usage.completion_tokens ?? 0]
  return [inputOf(usage), usage.output_tokens]
}

/** The messages API counts what was cached beside the input. */
const inputOf = ({ input_tokens, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 }) =>
  input_tokens + cache_creation_input_tokens + cache_read_input_tokens
