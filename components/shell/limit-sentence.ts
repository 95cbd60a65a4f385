/** Tells someone who has roles for some deployments only what they see. */
export const limitSentence = (deployments: number): string =>
  `You have a role for ${deployments === 1 ? '1 deployment' : `${deployments} deployments`} of this workspace, and see only ${deployments === 1 ? 'that one' : 'those'}.`
