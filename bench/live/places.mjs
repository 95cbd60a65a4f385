/** The one deployment of the upstream stub, and where the console shows it. */
export const DEPLOYMENT = '0b5e0000-0000-4000-8000-000000000001'
export const WORKSPACE = 'default'
export const deploymentPath = `/${WORKSPACE}/deployments/${DEPLOYMENT}`
