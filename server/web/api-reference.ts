/** The reference of the calls below /api/v1 as an HTML page, rendered from the OpenAPI document without any script. */
import { errorCodes, getHttpStatus } from '../contract/errors.ts'
import type { buildOpenApiDocument } from '../contract/openapi/document.ts'
import { listVersionedOperations, toCurl, type VersionedOperation } from '../contract/openapi/examples.ts'
import { escapeHtml, renderPage } from './html-page.ts'

type ApiDocument = ReturnType<typeof buildOpenApiDocument>

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`
const pre = (text: string): string => `<pre>${escapeHtml(text)}</pre>`
const json = (value: unknown): string => pre(JSON.stringify(value, null, 2))

const renderParameters = ({ parameters }: VersionedOperation): string =>
  parameters.length === 0
    ? ''
    : `<table><tr><th>参数</th><th>位置</th><th>必填</th></tr>${parameters
        .map(
          ({ name, location, required }) => `<tr><td>${code(name)}</td><td>${location}</td><td>${required ? '是' : ''}</td></tr>`,
        )
        .join('')}</table>`

function renderOperation(operation: VersionedOperation, origin: string): string {
  const { name, method, path, summary, scopes, deprecations, errors, requestSchema, response } = operation
  const links = errors.map((error) => `<a href="#error-${error}">${code(error)}</a>`).join(' ')
  return `<details id="${name}"><summary>${code(method)} <b>${escapeHtml(path)}</b> ${escapeHtml(summary)}</summary>
<p>${code(name)} · 密钥权限 ${scopes.map(code).join(' 或 ')}</p>${deprecations.map((text) => `<p><b>${escapeHtml(text)}</b></p>`).join('')}${renderParameters(operation)}
<h3>请求</h3>${pre(toCurl(operation, origin))}<h3>响应</h3>${json(response)}
${requestSchema === null ? '' : `<details><summary>请求内容的结构</summary>${json(requestSchema)}</details>`}<p>错误：${links}</p></details>`
}

/** Renders the page; errors have the anchors to which the `type` of problem details points. */
export function renderApiReference(document: ApiDocument): string {
  const operations = listVersionedOperations(document)
  const origin = document.servers[0]?.url ?? ''
  const groups = [...Map.groupBy(operations, ({ path }) => path.split('/')[3] ?? '')].map(
    ([group, list]) => `<h2>${escapeHtml(group)}</h2>${list.map((operation) => renderOperation(operation, origin)).join('')}`,
  )
  const names = Object.keys(errorCodes) as (keyof typeof errorCodes)[]
  const used = new Set(operations.flatMap(({ errors }) => errors))
  const errors = names.filter((name) => used.has(name))
  const rows = errors.map(
    (name) =>
      `<tr id="error-${name}"><td>${code(name)}</td><td>${getHttpStatus(name)}</td><td>${escapeHtml(errorCodes[name].message)}</td></tr>`,
  )
  return renderPage(
    '薪函接口参考',
    `<h1>薪函接口参考</h1><p>版本 v1，${operations.length} 个接口。用「企业信息 → 接口密钥」里创建的密钥调用，请求头 ${code('Authorization: Bearer xh_live_…')}。
所有接口和网页用的接口见 <a href="/api">/api</a>，给程序读的文档是 <a href="/api/openapi.json">openapi.json</a>。</p>
<p>列表用 ${code('cursor')} 翻页，直到 ${code('next_cursor')} 是空的。写入时带上请求头 ${code('Idempotency-Key')}，重试不会做两次。响应头
${code('RateLimit-Remaining')} 是这一分钟还能调用的次数；429 和 503 请等 ${code('Retry-After')} 秒再试。金额的单位是分。</p>
${groups.join('')}<h2 id="errors">错误</h2><table><tr><th>code</th><th>HTTP</th><th>说明</th></tr>${rows.join('')}</table>`,
  )
}
