import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

// Four steps over a large input state. With `rewrite` each step changes every document; otherwise only a note.
const STEPS = 4
const State = z.object({
  documents: z.array(z.any()).default(() => []),
  note: z.string().default(''),
  rewrite: z.boolean().default(false),
  step: z.number().default(0),
})

export const graph = new StateGraph(State)
  .addNode('work', ({ documents, rewrite, step }) => ({
    step: step + 1,
    note: `step ${step + 1}`,
    ...(rewrite && { documents: documents.map((one) => ({ ...one, score: one.score + 1 })) }),
  }))
  .addEdge(START, 'work')
  .addConditionalEdges('work', ({ step }) => (step < STEPS ? 'work' : END), ['work', END])
  .compile()
