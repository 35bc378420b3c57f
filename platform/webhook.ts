/**
 * Webhooks to a customer's own system: signed by the Standard Webhooks specification (standardwebhooks.com), to public
 * addresses only, without following redirects. Only the status of the response is read, nothing of its body.
 */
import { createHmac } from 'node:crypto'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { PostWebhook, WebhookMessage } from './carrier.ts'
import { NotPublicAddressError, resolvePublicAddress } from './public-address.ts'

/** Builds `webhook-signature`: one `v1,…` per secret, separated by spaces. */
export function signWebhook({ id, body, sentAt }: WebhookMessage, secrets: readonly Buffer[]): string {
  const signed = `${id}.${Math.floor(sentAt.getTime() / 1000)}.${body}`
  return secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`).join(' ')
}

const defaultTimeoutMs = 15_000

/** Posts one message. The connection uses the address that was checked, and the timeout begins with the name's lookup. */
export const postWebhook: PostWebhook = async (endpoint, message, options) => {
  const url = new URL(endpoint.url)
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  let address: string
  try {
    address = await resolvePublicAddress(url.hostname, options)
  } catch (error) {
    return { error: error instanceof NotPublicAddressError ? 'not_public' : 'no_address' }
  }
  const headers = {
    host: url.host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(message.body)),
    'user-agent': 'xinhan-webhook/1',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(message.sentAt.getTime() / 1000)),
    'webhook-signature': signWebhook(message, endpoint.secrets),
  }
  const target = {
    host: address,
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers,
    agent: false,
  }
  return new Promise((resolve) => {
    const name = url.hostname.replace(/^\[|\]$/g, '')
    const request = url.protocol === 'https:' ? secure({ ...target, servername: name }) : plain(target)
    // Everything until the status is covered, so that a receiver that sends one byte per second cannot block.
    const timer = setTimeout(
      () => {
        resolve({ error: 'timeout' })
        request.destroy()
      },
      Math.max(0, deadline - performance.now()),
    )
    request.once('response', (response) => {
      clearTimeout(timer)
      resolve({ status: response.statusCode ?? 0 })
      response.destroy()
    })
    request.on('error', () => {
      clearTimeout(timer)
      resolve({ error: 'no_connection' })
    })
    request.end(message.body)
  })
}
