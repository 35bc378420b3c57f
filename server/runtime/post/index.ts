/** The post office: how messages leave the house. It knows no subject; subjects tell it what to say to whom. */
export { type Addressed, type CarrierLines, handOver, lookUp, pieceCounter } from './lines.ts'
export { outboxLine } from './outbox.ts'
