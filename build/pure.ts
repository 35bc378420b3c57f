/**
 * Functions of the contract whose calls may be left out of a build where nothing takes their value: a call or a shape is made and has no other
 * effect. The build knows them by name alone; that nothing else is called so, the house test holds (`tests/house/pure-names.ts`).
 */
export const pureFunctions = ['call', 'z', 'holders', 'listOf', 'words', 'wordsOrNone']
