/** The oldest browsers that are served: WebViews of chat clients that were never updated. */
export const oldestBrowsers = { chrome: 87, safari_ios: 14 } as const

/** The same as the build's tools say it. */
export const browserTargets = [`chrome${oldestBrowsers.chrome}`, `safari${oldestBrowsers.safari_ios}`]
