/** At the counter of a carrier, as the post office stands there: outdoors. */
import type { CarrierLine, TriedMessage } from '../../../platform/carrier.ts'
import { theOutdoors } from '../../../server/runtime/data/outdoors.ts'
import { type Addressed, outsideLine } from '../../../server/runtime/post/index.ts'
import * as lines from '../../../server/runtime/post/lines.ts'

export const handOver = (line: CarrierLine, messages: readonly Addressed[], patience_ms?: number) =>
  lines.handOver(theOutdoors, outsideLine(line), messages, patience_ms)

export const lookUp = (line: CarrierLine, messages: readonly TriedMessage[], patience_ms?: number) =>
  lines.lookUp(theOutdoors, outsideLine(line), messages, patience_ms)
