import { readSettings } from './kernel/settings'
import { runProgram } from './program'
import { startAgentServer } from './start'

await runProgram(process, (log) => startAgentServer({ ...readSettings(), log }))
