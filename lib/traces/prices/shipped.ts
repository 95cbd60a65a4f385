import type { StoredPrice } from '../cost'

/** Prices that come with the product, in US dollars per million tokens, as the providers' pages listed them on `checked`. */

const OPENAI = 'https://platform.openai.com/docs/pricing'
const ANTHROPIC = 'https://www.anthropic.com/pricing#api'
const GOOGLE = 'https://ai.google.dev/gemini-api/docs/pricing'
const MISTRAL = 'https://mistral.ai/pricing#api-pricing'
const DEEPSEEK = 'https://api-docs.deepseek.com/quick_start/pricing'
const XAI = 'https://docs.x.ai/docs/models'
const COHERE = 'https://cohere.com/pricing'

const ABOVE_128K = 'Requests with more than 128,000 tokens of input cost more.'
const ABOVE_200K = 'Requests with more than 200,000 tokens of input cost more.'
const ABOVE_272K = 'Requests with more than 272,000 tokens of input cost more.'
const AUDIO = 'Audio costs more than text.'

type More = {
  cached?: number
  /** Writing to the cache, for minutes and for an hour. */
  writes?: readonly [number, number?]
  from?: string
  note?: string
}
type Row = readonly [models: string, checked: string, input: number, output: number, more?: More]

/** Model names of one price, separated by spaces; `*` stands for any text. Patterns are narrow, because the price of a newer model is unknown. */
const TABLE: Record<string, readonly [source: string, rows: readonly Row[]]> = {
  openai: [
    OPENAI,
    [
      ['gpt-5.6 gpt-5.6-sol gpt-5.6-sol-20*', '2026-08-02', 5, 30, { cached: 0.5, writes: [6.25], note: ABOVE_272K }],
      ['gpt-5.6-terra gpt-5.6-terra-20*', '2026-08-02', 2.5, 15, { cached: 0.25, writes: [3.125], note: ABOVE_272K }],
      [
        'gpt-5.6-terra gpt-5.6-terra-20*',
        '2026-08-02',
        2,
        12,
        { cached: 0.2, writes: [2.5], from: '2026-07-30', note: ABOVE_272K },
      ],
      ['gpt-5.6-luna gpt-5.6-luna-20*', '2026-08-02', 1, 6, { cached: 0.1, writes: [1.25], note: ABOVE_272K }],
      [
        'gpt-5.6-luna gpt-5.6-luna-20*',
        '2026-08-02',
        0.2,
        1.2,
        { cached: 0.02, writes: [0.25], from: '2026-07-30', note: ABOVE_272K },
      ],
      ['gpt-5.5 gpt-5.5-20* gpt-5.5-chat* gpt-5.5-codex', '2026-04-24', 5, 30, { cached: 0.5 }],
      ['gpt-5.5-pro gpt-5.5-pro-20*', '2026-04-24', 30, 180],
      ['gpt-5.4 gpt-5.4-20*', '2026-03-06', 2.5, 15, { cached: 0.25, note: ABOVE_272K }],
      ['gpt-5.4-mini gpt-5.4-mini-20*', '2026-03-18', 0.75, 4.5, { cached: 0.075 }],
      ['gpt-5.4-nano gpt-5.4-nano-20*', '2026-03-18', 0.2, 1.25, { cached: 0.02 }],
      ['gpt-5.4-pro gpt-5.4-pro-20*', '2026-03-06', 30, 180, { note: ABOVE_272K }],
      ['gpt-5.3 gpt-5.3-chat*', '2026-05-07', 1.75, 14, { cached: 0.175 }],
      ['gpt-5.3-codex', '2026-02-05', 1.75, 14, { cached: 0.175 }],
      ['gpt-5.2 gpt-5.2-20* gpt-5.2-chat* gpt-5.2-codex', '2025-12-11', 1.75, 14, { cached: 0.175 }],
      ['gpt-5.2-pro gpt-5.2-pro-20*', '2025-12-11', 21, 168],
      ['gpt-5.1 gpt-5.1-20* gpt-5.1-chat* gpt-5.1-codex gpt-5.1-codex-max', '2025-11-13', 1.25, 10, { cached: 0.125 }],
      ['gpt-5.1-codex-mini', '2025-11-13', 0.25, 2, { cached: 0.025 }],
      ['gpt-5 gpt-5-20* gpt-5-chat* gpt-5-codex', '2025-11-13', 1.25, 10, { cached: 0.125 }],
      ['gpt-5-mini gpt-5-mini-20*', '2025-11-13', 0.25, 2, { cached: 0.025 }],
      ['gpt-5-nano gpt-5-nano-20*', '2025-11-13', 0.05, 0.4, { cached: 0.005 }],
      ['gpt-5-pro gpt-5-pro-20*', '2025-11-13', 15, 120],
      ['gpt-4.1 gpt-4.1-20*', '2025-07-04', 2, 8, { cached: 0.5 }],
      ['gpt-4.1-mini gpt-4.1-mini-20*', '2025-07-04', 0.4, 1.6, { cached: 0.1 }],
      ['gpt-4.1-nano gpt-4.1-nano-20*', '2025-07-04', 0.1, 0.4, { cached: 0.025 }],
      ['gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20', '2025-07-04', 2.5, 10, { cached: 1.25 }],
      ['gpt-4o-mini gpt-4o-mini-2024-07-18', '2025-07-04', 0.15, 0.6, { cached: 0.075 }],
      ['gpt-4o-audio-preview*', '2025-07-22', 2.5, 10, { note: AUDIO }],
      ['gpt-audio gpt-audio-20*', '2026-06-26', 2.5, 10, { note: AUDIO }],
      ['gpt-4-turbo gpt-4-turbo-20*', '2025-07-04', 10, 30],
      ['gpt-4 gpt-4-0613', '2025-07-04', 30, 60],
      ['gpt-3.5-turbo gpt-3.5-turbo-0125', '2025-07-04', 0.5, 1.5],
      ['o1 o1-20*', '2025-07-04', 15, 60, { cached: 7.5 }],
      ['o1-pro o1-pro-20*', '2025-07-04', 150, 600],
      ['o3 o3-20*', '2025-07-12', 10, 40, { cached: 0.5 }],
      ['o3 o3-20*', '2025-07-12', 2, 8, { cached: 0.5, from: '2025-06-10' }],
      ['o3-mini o3-mini-20*', '2025-07-04', 1.1, 4.4, { cached: 0.55 }],
      ['o4-mini o4-mini-20*', '2025-07-04', 1.1, 4.4, { cached: 0.275 }],
      ['text-embedding-3-large', '2025-07-04', 0.13, 0],
      ['text-embedding-3-small', '2025-07-04', 0.02, 0],
      ['text-embedding-ada-002', '2025-07-04', 0.1, 0],
    ],
  ],
  anthropic: [
    ANTHROPIC,
    [
      ['claude-fable-5*', '2026-07-29', 10, 50, { cached: 1, writes: [12.5, 20] }],
      ['claude-opus-5*', '2026-07-29', 5, 25, { cached: 0.5, writes: [6.25, 10] }],
      ['claude-opus-4-8* claude-opus-4-7* claude-opus-4-5*', '2026-07-29', 5, 25, { cached: 0.5, writes: [6.25, 10] }],
      ['claude-opus-4-6*', '2026-07-29', 5, 25, { cached: 0.5, writes: [6.25, 10], note: ABOVE_200K }],
      ['claude-opus-4-6*', '2026-07-29', 5, 25, { cached: 0.5, writes: [6.25, 10], from: '2026-03-13' }],
      [
        'claude-opus-4-1* claude-opus-4-0* claude-opus-4-20*',
        '2026-07-29',
        15,
        75,
        { cached: 1.5, writes: [18.75, 30] },
      ],
      ['claude-sonnet-5*', '2026-07-29', 2, 10, { cached: 0.2, writes: [2.5, 4] }],
      ['claude-sonnet-5*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6], from: '2026-09-01' }],
      ['claude-sonnet-4-6*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6], note: ABOVE_200K }],
      ['claude-sonnet-4-6*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6], from: '2026-03-13' }],
      ['claude-sonnet-4-5*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6], note: ABOVE_200K }],
      ['claude-sonnet-4-0* claude-sonnet-4-20*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6] }],
      ['claude-haiku-4-5*', '2026-07-29', 1, 5, { cached: 0.1, writes: [1.25, 2] }],
      ['claude-3-7-sonnet* claude-3-5-sonnet*', '2026-07-29', 3, 15, { cached: 0.3, writes: [3.75, 6] }],
      ['claude-3-5-haiku*', '2026-07-29', 0.8, 4, { cached: 0.08, writes: [1, 1.6] }],
      ['claude-3-opus*', '2026-07-29', 15, 75, { cached: 1.5, writes: [18.75, 30] }],
      ['claude-3-haiku*', '2026-07-29', 0.25, 1.25, { cached: 0.03, writes: [0.3, 0.5] }],
    ],
  ],
  google: [
    GOOGLE,
    [
      ['gemini-3.5-flash gemini-3.5-flash-preview*', '2026-05-19', 1.5, 9, { cached: 0.15 }],
      ['gemini-3.5-flash-lite*', '2026-07-22', 0.3, 2.5, { cached: 0.03 }],
      ['gemini-3.1-pro-preview*', '2026-02-23', 2, 12, { cached: 0.2, note: ABOVE_200K }],
      ['gemini-3.1-flash-lite', '2026-05-12', 0.25, 1.5, { cached: 0.025, note: AUDIO }],
      ['gemini-3-pro-preview*', '2025-11-18', 2, 12, { cached: 0.2, note: ABOVE_200K }],
      ['gemini-3-flash-preview*', '2025-12-19', 0.5, 3, { cached: 0.05, note: AUDIO }],
      ['gemini-2.5-pro*', '2025-10-31', 1.25, 10, { cached: 0.125, note: ABOVE_200K }],
      ['gemini-2.5-flash gemini-2.5-flash-preview-09-2025', '2025-10-31', 0.3, 2.5, { cached: 0.03, note: AUDIO }],
      ['gemini-2.5-flash-lite*', '2025-10-31', 0.1, 0.4, { cached: 0.01, note: AUDIO }],
      ['gemini-2.0-flash gemini-2.0-flash-0*', '2025-07-04', 0.1, 0.4, { cached: 0.025, note: AUDIO }],
      ['gemini-2.0-flash-lite*', '2025-07-04', 0.075, 0.3],
      ['gemini-1.5-pro*', '2025-06-22', 1.25, 5, { note: ABOVE_128K }],
      ['gemini-1.5-flash gemini-1.5-flash-0*', '2025-07-04', 0.075, 0.3, { cached: 0.01875, note: ABOVE_128K }],
    ],
  ],
  mistral: [
    MISTRAL,
    [
      ['mistral-large-2512', '2026-06-09', 0.5, 1.5, { cached: 0.05 }],
      ['mistral-large-2411 mistral-large-2407', '2025-07-04', 2, 6],
      ['mistral-medium-2505 mistral-medium-2508', '2025-08-12', 0.4, 2],
      ['mistral-small-2603', '2026-06-09', 0.15, 0.6, { cached: 0.015 }],
      ['magistral-medium*', '2025-08-12', 2, 5],
      ['magistral-small*', '2025-08-12', 0.5, 1.5],
      ['codestral-2508', '2026-06-09', 0.3, 0.9, { cached: 0.03 }],
      ['open-mistral-nemo', '2025-07-04', 0.15, 0.15],
    ],
  ],
  deepseek: [
    DEEPSEEK,
    [
      ['deepseek-v4-pro*', '2026-06-02', 0.435, 0.87, { cached: 0.003625 }],
      ['deepseek-v4-flash*', '2026-05-12', 0.14, 0.28, { cached: 0.0028 }],
    ],
  ],
  xai: [
    XAI,
    [
      ['grok-4.5 grok-4.5-latest', '2026-07-08', 2, 6, { cached: 0.5 }],
      ['grok-4.3 grok-4.3-latest', '2026-05-12', 1.25, 2.5, { cached: 0.2 }],
      ['grok-4-1-fast*', '2026-01-19', 0.2, 0.5, { cached: 0.05 }],
      ['grok-4-fast*', '2026-01-19', 0.2, 0.5, { cached: 0.05 }],
      ['grok-4 grok-4-0709 grok-4-latest', '2025-07-12', 3, 15, { cached: 0.75 }],
      ['grok-3 grok-3-latest grok-3-beta', '2025-07-12', 3, 15, { cached: 0.75 }],
      ['grok-3-mini grok-3-mini-latest grok-3-mini-beta', '2025-07-12', 0.3, 0.5, { cached: 0.075 }],
      ['grok-code-fast-1*', '2026-01-19', 0.2, 1.5, { cached: 0.02 }],
    ],
  ],
  cohere: [
    COHERE,
    [
      ['command-a*', '2025-07-04', 2.5, 10],
      ['command-r-plus command-r-plus-08-2024', '2025-07-04', 2.5, 10],
      ['command-r command-r-08-2024', '2025-07-04', 0.15, 0.6],
      ['embed-v4.0', '2025-12-10', 0.12, 0],
    ],
  ],
}

export const SHIPPED_PRICES: readonly StoredPrice[] = Object.entries(TABLE).flatMap(([provider, [url, rows]]) =>
  rows.flatMap(([models, checked, input, output, { cached, writes, from, note } = {}]) =>
    models.split(' ').map((model) => ({
      id: `shipped ${provider} ${model} ${from ?? ''}`,
      ...{ model, provider, input, output, reasoning: null, validFrom: from ?? null },
      cachedInput: cached ?? null,
      cacheWrite: writes?.[0] ?? null,
      cacheWrite1h: writes?.[1] ?? null,
      source: { url, checked, ...(note && { note }) },
    })),
  ),
)
