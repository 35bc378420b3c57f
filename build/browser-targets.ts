/**
 * The oldest supported browsers: WebViews of chat apps that were never updated. Flex `gap`, which nearly every page
 * uses, needs iOS 14.5.
 */
export const oldestBrowsers = { chrome: 87, safari_ios: 14.5 } as const

/** The same list of browsers in the notation of the build tools. */
export const browserTargets = [`chrome${oldestBrowsers.chrome}`, `safari${oldestBrowsers.safari_ios}`]
