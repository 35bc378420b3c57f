/** The company logo, and files uploaded ahead of the call that uses them. */
import { crc32 } from 'node:zlib'
import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { demo } from '../../support/demo.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp } = demo({ own: true })

const { invalid, not_found, not_permitted, too_often } = errorCodes
const png = (side: number) => PNG.sync.write(new PNG({ width: side, height: side }))
const send = (caller: Caller, name: string, bytes: Buffer, call = fileCalls.uploadFile) =>
  caller.call(call, {}, { file: { name, bytes } })

it('re-encodes an uploaded logo and shows it to administrators and employees', async () => {
  const head = await world.signIn(await corp.person({ power: ['1'] }))
  const staff = await world.signIn(await corp.person())
  expect((await head.must(account.getCurrentUser)).corp.logo).toBeNull()
  // Hidden content is removed: here a text chunk before the end of the picture.
  const text = Buffer.from('\0\0\0\x08tEXta\0secret\0\0\0\0', 'latin1')
  text.writeUInt32BE(crc32(text.subarray(4, 16)), 16)
  const sent = Buffer.concat([png(96).subarray(0, -12), text, png(96).subarray(-12)])
  const { data } = await send(head, '标志.PNG', sent, fileCalls.uploadFileAlias)
  expect(data).toMatchObject({ file_name: '标志.png', size: png(96).length })
  const { logo } = await head.must(company.setLogo, { file_id: data.file_id })
  const visible = Buffer.from(String(logo).replace(/^data:image\/png;base64,/, ''), 'base64')
  expect([sent.includes('secret'), visible.includes('secret')]).toEqual([true, false])
  expect(PNG.sync.read(visible)).toMatchObject({ width: 96, height: 96 })
  expect((await head.must(account.getCurrentUser)).corp.logo).toBe(logo)
  expect((await staff.must(employee.getCurrentEmployee)).corp_logo).toBe(logo)
  // The picture is now stored in the company's row: the file is gone.
  expect((await head.call(company.setLogo, { file_id: data.file_id })).code).toBe(not_found.code)
  await head.must(company.setLogo, { file_id: null })
  expect((await staff.must(employee.getCurrentEmployee)).corp_logo).toBeNull()
})

it("refuses another user's upload, a wage sheet, and an expired file as a logo", async () => {
  const head = await world.signIn(await corp.person({ power: ['1'] }))
  const pay = await world.signIn(await corp.person({ power: ['2', '1'] }))
  const theirs = (await send(pay, '图.png', png(8))).data.file_id
  expect((await head.call(company.setLogo, { file_id: theirs })).code).toBe(not_found.code)
  const sheet = (await send(pay, '工资.csv', Buffer.from('姓名,实发\n张三,1'))).data.file_id
  expect(await pay.call(company.setLogo, { file_id: sheet })).toMatchObject({ code: invalid.code, data: { field: 'file_id' } })
  const current = (await send(head, '图.png', png(8))).data.file_id
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('file')
      .set({ expires_at: new Date(0) })
      .where('id', '=', current)
      .execute(),
  )
  expect((await head.call(company.setLogo, { file_id: current })).code).toBe(not_found.code)
})

it.each<[string, string, Buffer, object]>([
  ['an HTML page', '页.html', Buffer.from('<script>'), { code: invalid.code, data: { field: 'file' } }],
  ['an HTML page named as a picture', '页.png', Buffer.from('<svg onload="x"/>'), { code: invalid.code }],
  ['a picture that is too large', '大.png', png(257), { code: invalid.code, message: '图片的长和宽最多 256 像素' }],
  ['a picture with appended data', '尾.png', Buffer.concat([png(8), Buffer.from('zip')]), { code: invalid.code }],
  ['a truncated picture', '半.png', png(64).subarray(0, 60), { code: invalid.code, message: '图片无法识别，请换一张 PNG 图片' }],
  ['a wage sheet uploaded by an employee', '工资.csv', Buffer.from('姓名'), { code: not_permitted.code }],
  ['a program with a wage sheet extension', '工资.xlsx', Buffer.from('MZ\0\0'), { code: invalid.code }],
])('refuses to upload %s', async (_, name, bytes, error) =>
  expect(await send(await world.signIn(await corp.person()), name, bytes)).toMatchObject(error),
)

it.each<[string, Buffer]>([
  ['工资.et', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['模板.ett', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['工资.txt', Buffer.from('姓名\t实发\n张三\t1')],
  ['工资.html', Buffer.from('<html><table><tr><td>姓名</td></tr></table></html>')],
  ['网页.xls', Buffer.from('<table border="1"><tr><td>姓名</td></tr></table>')],
  ['工资.xml', Buffer.from('<?xml version="1.0"?><ss:Workbook xmlns:ss="x"/>')],
])('accepts the wage sheet file %s', async (name, bytes) => {
  const pay = await world.signIn(await corp.person({ power: ['2'] }))
  expect(await send(pay, name, bytes)).toMatchObject({ code: 0, data: { file_name: name } })
})

it('stores at most twenty pending files per user', async () => {
  const caller = await world.signIn(await corp.person())
  for (let at = 0; at < 20; at += 1) expect((await send(caller, `${at}.png`, png(1))).code).toBe(0)
  expect(await send(caller, '21.png', png(1))).toMatchObject({ code: too_often.code, data: { retry_after: 3600 } })
})
