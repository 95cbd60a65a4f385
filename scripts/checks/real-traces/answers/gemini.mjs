// Answers of the Gemini API, by the provider's API reference.

/** @param {{ parts?: Record<string, any>[], finish?: string, usage?: object, rest?: object, blocked?: string }} said */
export function gemini({ parts, finish = 'STOP', usage = geminiUsage(15, 9), rest = {}, blocked }) {
  const tail = { usageMetadata: usage, modelVersion: 'gemini-2.5-flash', responseId: 'r3sp0nse' }
  if (blocked) {
    const json = { promptFeedback: { blockReason: blocked }, ...tail }
    return { json, events: [{ data: json }] }
  }
  const candidate = (own, more) => ({
    candidates: [{ content: { role: 'model', parts: own }, index: 0, ...more }],
    ...tail,
  })
  const json = candidate(parts ?? [], { finishReason: finish, ...rest })
  const list = parts ?? []
  const events = list.map((part, index) => ({
    data: candidate([part], index === list.length - 1 ? { finishReason: finish, ...rest } : {}),
  }))
  return { json, events: events.length > 0 ? events : [{ data: json }] }
}

export const geminiUsage = (input, output, { thoughts = 0, cached = 0 } = {}) => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output + thoughts,
  ...(thoughts && { thoughtsTokenCount: thoughts }),
  ...(cached && { cachedContentTokenCount: cached }),
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
})
