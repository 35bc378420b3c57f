/** The thread that draws PDF pages: receives the options, then members in small groups, and returns the bytes written so far. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createPdfWriter, type PdfOptions, type PdfSection } from './pdf-writer.ts'

export type WorkerRequest = { readonly sections: readonly PdfSection[]; readonly last: boolean }
export type WorkerResponse = { readonly bytes: Uint8Array; readonly isComplete: boolean }

// On Linux a thread has a priority of its own: requests take precedence.
if (process.platform === 'linux') setPriority(19)

const options: PdfOptions = workerData
const pdfWriter = createPdfWriter(options)

async function handleRequest({ sections, last }: WorkerRequest): Promise<void> {
  const { draw, take: takeBytes, end } = await pdfWriter
  for (const section of sections) draw(section)
  if (last) await end()
  // The output is joined in one buffer: a member consists of forty small ones, each of which would be kept separately.
  const bytes = new Uint8Array(takeBytes())
  const response: WorkerResponse = { bytes, isComplete: last }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to the thread that began this one, not to a window
  parentPort?.postMessage(response, [bytes.buffer])
}

parentPort?.on('message', (request: WorkerRequest) => {
  // An error ends the thread and thereby fails the file.
  void handleRequest(request).catch((error: unknown) => {
    setImmediate(() => {
      throw error
    })
  })
})
