import { startTelemetry } from '../kernel/telemetry'
import { writeFieldTypes } from './assistants/write-field-types'
import { readSettings } from './kernel/settings'
import { runProgram } from './program'
import { startAgentServer } from './start'

const [, , task, configFile] = process.argv

/** `types FILE` reads the types of a configuration's graphs for a build; without arguments it serves them. */
if (task === 'types' && configFile) await writeFieldTypes(configFile)
else
  await runProgram(process, async (log) => {
    const settings = readSettings()
    const { info, telemetry = {} } = settings
    // Before any graph is loaded. Its log is sent by the platform, which masks the deployment's secrets.
    const stopTelemetry = await startTelemetry('pilothouse-agent-server', {
      variables: telemetry,
      hasLogs: false,
      about: info && {
        'pilothouse.deployment.id': info.deployment.id,
        'pilothouse.deployment.name': info.deployment.name,
        'pilothouse.revision.id': info.revision,
      },
    })
    const server = await startAgentServer({ ...settings, log })
    return { ...server, stop: () => server.stop().finally(stopTelemetry) }
  })
