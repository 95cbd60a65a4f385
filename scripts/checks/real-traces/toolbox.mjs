// The clients of a case, built from the packages in a folder of their own.
import { createRequire } from 'node:module'
import path from 'node:path'

/** What a case needs: wrapped clients and models that talk to `models`. @param {string} folder @param {string} models */
export function toolbox(folder, models) {
  const load = createRequire(path.join(folder, 'package.json'))
  const apiKey = 'a-key-of-the-scripted-server'
  const retries = { maxRetries: 0 }
  const chatOpenAI = (options) => {
    const { ChatOpenAI } = load('@langchain/openai')
    return new ChatOpenAI({ apiKey, ...retries, configuration: { baseURL: `${models}/v1` }, ...options })
  }
  const tideAt = async ({ place }) => {
    if (place === 'Atlantis') throw new Error('No such place: Atlantis')
    return 'six metres'
  }
  const schema = () => load('zod').z.object({ place: load('zod').z.string() })
  const tideTool = () =>
    load('@langchain/core/tools').tool(tideAt, {
      name: 'tide_at',
      description: 'The tide at a place',
      schema: schema(),
    })
  /** Exports the spans of `use`, by an instrumentation of the packages unless it asks for a tracer. */
  const traced = async (use, instrument) => {
    const { NodeTracerProvider, SimpleSpanProcessor } = load('@opentelemetry/sdk-trace-node')
    const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-http')
    const exporter = new OTLPTraceExporter({ url: `${process.env.LANGSMITH_ENDPOINT}/otel/v1/traces` })
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    provider.register()
    const instrumentation = instrument?.(provider)
    try {
      return await use(provider.getTracer('ai'))
    } finally {
      await provider.forceFlush()
      await provider.shutdown()
      instrumentation?.disable()
      load('@opentelemetry/api').trace.disable()
      load('@opentelemetry/api').context.disable()
    }
  }
  const instrumented = async (use, name) =>
    await traced(
      async () => await use(new (load('openai').OpenAI)({ apiKey, baseURL: `${models}/v1`, ...retries })),
      (provider) => {
        const instrumentation = new (load(name).OpenAIInstrumentation)()
        instrumentation.setTracerProvider(provider)
        instrumentation.manuallyInstrument(load('openai'))
        return instrumentation
      },
    )
  return {
    load,
    traced,
    openllmetry: (use) => instrumented(use, '@traceloop/instrumentation-openai'),
    openinference: (use) => instrumented(use, '@arizeai/openinference-instrumentation-openai'),
    openai: () =>
      load('langsmith/wrappers/openai').wrapOpenAI(
        new (load('openai').OpenAI)({ apiKey, baseURL: `${models}/v1`, ...retries }),
      ),
    anthropic: () =>
      load('langsmith/wrappers/anthropic').wrapAnthropic(
        new (load('@anthropic-ai/sdk').Anthropic)({ apiKey, baseURL: models, ...retries }),
      ),
    google: () =>
      load('langsmith/wrappers/gemini').wrapGemini(
        new (load('@google/genai').GoogleGenAI)({ apiKey, httpOptions: { baseUrl: models } }),
      ),
    chatOpenAI,
    chatAnthropic: (options) => {
      const { ChatAnthropic } = load('@langchain/anthropic')
      return new ChatAnthropic({ model: 'claude-sonnet-4-5', apiKey, ...retries, anthropicApiUrl: models, ...options })
    },
    chatGoogle: (options) => {
      const { ChatGoogleGenerativeAI } = load('@langchain/google-genai')
      return new ChatGoogleGenerativeAI({ model: 'gemini-2.5-flash', apiKey, ...retries, baseUrl: models, ...options })
    },
    chatMistral: (options) => {
      const { ChatMistralAI } = load('@langchain/mistralai')
      return new ChatMistralAI({ model: 'mistral-medium-2508', apiKey, ...retries, serverURL: models, ...options })
    },
    chatOllama: (options) => {
      const { ChatOllama } = load('@langchain/ollama')
      return new ChatOllama({ model: 'qwen3:8b', ...retries, baseUrl: models, ...options })
    },
    tideTool,
    agent: () => load('langchain').createAgent({ model: chatOpenAI({ model: 'gpt-5-mini' }), tools: [tideTool()] }),
    aiSdk: () => load('langsmith/experimental/vercel').wrapAISDK(load('ai')),
    sdkTool: () => load('ai').tool({ description: 'The tide at a place', inputSchema: schema(), execute: tideAt }),
    sdkOpenai: () => load('@ai-sdk/openai').createOpenAI({ apiKey, baseURL: `${models}/v1` }),
    sdkAnthropic: () => load('@ai-sdk/anthropic').createAnthropic({ apiKey, baseURL: `${models}/v1` }),
    sdkGoogle: () => load('@ai-sdk/google').createGoogleGenerativeAI({ apiKey, baseURL: `${models}/v1beta` }),
    /** Reads a stream to its end. */
    drain: async (stream) => {
      for await (const _ of await stream);
    },
  }
}
