/**
 * Functions of the contract whose calls may be left out of a build where nothing takes their value: a call or a shape is made and has no other
 * effect. The build knows them by name alone: no other function that the client calls for its effect may bear one of these names.
 */
export const pureFunctions = ['defineCall', 'z', 'requirePower', 'paginatedList', 'requiredText', 'optionalText']
