/** The functions that define a call (`server/contract/call.ts`). */
export const definingFunctions = ['defineRead', 'defineView', 'defineChange', 'defineSignIn']

/**
 * Functions of the contract whose calls may be removed from a bundle when their value is not used: they only create a
 * definition or a schema and have no side effects. The bundler matches them by name alone, so no function that the
 * client calls for its side effect may have one of these names.
 */
export const pureFunctions = [
  ...definingFunctions,
  'z',
  'requirePower',
  'requirePowerAnywhere',
  'paginatedList',
  'requiredText',
  'optionalText',
]
