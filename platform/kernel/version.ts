/** Of the agent servers this platform rolls out; what a deployment's `image_version` says. Kept equal to package.json. */
export const PLATFORM_VERSION = '0.1.0'
