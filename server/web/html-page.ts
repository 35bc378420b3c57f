/** A plain page in the product's colors for pages rendered by the server, without any script. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const renderPage = (title: string, body: string): string => `<!doctype html><html lang="zh-CN"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="/favicon.svg"><title>${escapeHtml(title)}</title><style>
:root{color-scheme:light dark}body{font:14px/1.5 "PingFang SC","Noto Sans SC",system-ui;max-width:1080px;margin:24px auto;padding:0 16px;background:light-dark(#F7F6F3,#12110F);color:light-dark(#1C1917,#F5F4F0)}
h1{font-size:20px}h2{font-size:16px;margin:24px 0 8px}a{color:light-dark(#0F766E,#2DD4BF)}code,pre{font-size:12px}pre{overflow:auto;max-height:320px}
details,table{background:light-dark(#fff,#1C1A17);border:1px solid light-dark(#E7E5E0,#2E2B27);border-radius:8px;padding:8px 12px;margin:4px 0}summary{cursor:pointer;min-height:28px;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;padding:0}td,th{text-align:left;padding:8px 12px;border-bottom:1px solid light-dark(#E7E5E0,#2E2B27);vertical-align:top;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
@media(max-width:600px){table,tbody,tr,td{display:block}tr:has(th){display:none}td{border:0;padding:2px 12px}tr{border-bottom:1px solid light-dark(#E7E5E0,#2E2B27);padding:8px 0}}
</style><body>${body}</body></html>`
