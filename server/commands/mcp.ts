/** `npm run --silent mcp`: an MCP server over stdio for a running server, XINHAN_URL, with an API key, XINHAN_API_KEY. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { readMcpOptions } from '../config.ts'
import { createCallApi, loadScopes } from '../mcp/call-api.ts'
import { createMcpServer } from '../mcp/server.ts'

const { origin, key } = readMcpOptions()
if (!URL.canParse(origin) || key === '') {
  process.stderr.write('请设置 XINHAN_URL（薪函的网址）和 XINHAN_API_KEY（接口密钥）\n')
  process.exit(1)
}
const callApi = createCallApi({ origin, key, send: fetch })
serveStdio(async () => createMcpServer({ callApi, origin }, await loadScopes(callApi)))
