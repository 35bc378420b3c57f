/** The thread in which pages are drawn. It is told what is wanted, then people, a few at a time; each time it answers what was written meanwhile. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createPdfWriter, type PdfOptions, type PdfSection } from './pdf-writer.ts'

export type WorkerRequest = { readonly sections: readonly PdfSection[]; readonly last: boolean }
export type WorkerResponse = { readonly bytes: Uint8Array; readonly isComplete: boolean }

// There a thread has a priority of its own: whoever asks something meanwhile goes first.
if (process.platform === 'linux') setPriority(19)

const options: PdfOptions = workerData
const pdfWriter = createPdfWriter(options)

async function handleRequest({ sections, last }: WorkerRequest): Promise<void> {
  const { draw, take: takeBytes, end } = await pdfWriter
  for (const section of sections) draw(section)
  if (last) await end()
  // In one piece: a person is forty small ones, and each would be kept on its own.
  const bytes = new Uint8Array(takeBytes())
  const response: WorkerResponse = { bytes, isComplete: last }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to the thread that began this one, not to a window
  parentPort?.postMessage(response, [bytes.buffer])
}

parentPort?.on('message', (request: WorkerRequest) => {
  // What fails ends the thread, and with it the file.
  void handleRequest(request).catch((error: unknown) => {
    setImmediate(() => {
      throw error
    })
  })
})
