/** Whether a URL's host name always means the machine or container that uses it. `wire/address` is for servers. */
export const isLoopbackName = (hostname: string): boolean =>
  /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)
