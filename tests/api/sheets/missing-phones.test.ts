/** A wage sheet without phone numbers: a roster import supplies them, and the check continues with its decisions. */
import { expect, it } from 'vitest'
import * as roster from '../../../server/contract/directory/import.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import { freshPhone } from '../../support/random.ts'

const world = demoWorld()

it('finds the members of a wage sheet after a roster with their phones was imported, and keeps what was decided', async () => {
  const { corp, clerk } = await openOffice(world, [])
  const head = await world.signIn(await corp.person({ name: '负责人', power: ['4'] }))
  const { batch_id } = await getUpload(
    clerk,
    book(
      ['姓名', '部门', '基本工资', '实发工资'],
      [
        ['王一', '研发', 5000, 5000],
        ['王二', '研发', 6000, 6000],
        ['王三', '研发', 7000, 7000],
      ],
    ),
  )
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  const getMissing = async () =>
    (await clerk.must(wage.checkWageData, { batch_id, kind: 'no_contact' })).problems.map(({ id, name }) => ({ id, name }))
  const missing = await getMissing()
  expect(missing.map(({ name }) => name)).toEqual(['王一', '王二', '王三'])
  await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: missing[2]?.id ?? '', fix: 'skip' }] })

  const rows = ['王一', '王二'].map((name) => [name, '研发', freshPhone()])
  const bytes = makeXlsx({ sheets: [{ name: '花名册', rows: [['姓名', '部门', '手机号'], ...rows] }] })
  const { import_id } = await head.must(roster.importMemberFile, {}, { file: { name: '花名册.xlsx', bytes } })
  await head.must(roster.uploadMembers, { import_id, mode: 'update' })

  expect(await getMissing()).toEqual([])
  expect((await clerk.must(wage.getPreviewMember, { batch_id })).list.map(({ name }) => name)).toEqual(['王一', '王二'])
})
