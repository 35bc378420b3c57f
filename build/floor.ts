/** The oldest browsers that are served: WebViews of chat clients that were never updated. */
export const floor = ['chrome87', 'safari14']
