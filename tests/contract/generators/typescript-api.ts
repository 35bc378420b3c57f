/** The API of TypeScript 6 for the generators: version 7, which compiles the product, has none. */
import { ts } from '@ts-morph/common'

export default ts
