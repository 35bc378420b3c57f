/** A DNS server (RFC 1035) over UDP that knows some names and never answers for any other. */
import { createSocket } from 'node:dgram'
import ipaddr from 'ipaddr.js'

type NameServer = {
  /** As `dns.Resolver.setServers` takes it. */
  readonly address: string
  /** Number of questions for each name and record type, including repeated ones. */
  readonly questions: ReadonlyMap<string, number>
  close(): Promise<void>
}
const typeNames: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }
const headerBytes = 12

function readQuestion(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type: typeNames[type] ?? String(type), end: at + 5 }
}

/** `names`: the addresses of each known name; an empty list answers that the name does not exist. */
export async function startNameServer(names: Readonly<Record<string, readonly string[]>> = {}): Promise<NameServer> {
  const questions = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    const key = `${name} ${type}`
    questions.set(key, (questions.get(key) ?? 0) + 1)
    const addressesOfName = names[name]
    if (!addressesOfName) return
    const addresses = addressesOfName.filter((address) => (ipaddr.parse(address).kind() === 'ipv4' ? 'A' : 'AAAA') === type)
    const header = Buffer.from(query.subarray(0, headerBytes))
    header.writeUInt16BE(addressesOfName.length > 0 ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(addresses.length, 6)
    // No authority and no additional records, although the query has one for EDNS.
    header.writeUInt32BE(0, 8)
    const records = addresses.map((address) => {
      const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc000 + headerBytes, 0)
      record.writeUInt16BE(type === 'A' ? 1 : 28, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(60, 6)
      record.writeUInt16BE(bytes.length, 10)
      return Buffer.concat([record, bytes])
    })
    socket.send(Buffer.concat([header, query.subarray(headerBytes, end), ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}
