/** What comes along through the doors. */
import { loaded, shows_a_slip } from './shape.ts'
import type { Files, Found } from './source.ts'

/** As many as before people, platforms and tax came. */
const most = 207

/** What is loaded to show a slip, where it is more than that. */
export function slipLoads(files: Files): Found {
  const { length } = loaded(files, shows_a_slip)
  return length > most ? { [shows_a_slip]: length } : {}
}
