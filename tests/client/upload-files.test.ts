/** Which files the page accepts before they are uploaded. */
import { describe, expect, it } from 'vitest'
import { acceptedFileTypes, validateFile } from '../../src/features/sheets/upload/upload-area.tsx'

const mb = 1024 * 1024
const getError = (name: string, size = 100) => validateFile({ name, size }, 20 * mb)

describe('spreadsheet files', () => {
  it.each(['xlsx', 'xlsm', 'xltx', 'xls', 'xlt', 'et', 'ett', 'ods', 'ots', 'csv', 'tsv', 'txt', 'xml', 'html', 'htm'])(
    'accepts .%s files',
    (extension) => {
      expect(getError(`2026年10月工资.${extension}`)).toBeNull()
      expect(getError(`工资.${extension.toUpperCase()}`)).toBeNull()
      expect(acceptedFileTypes.split(',')).toContain(`.${extension}`)
    },
  )

  it.each(['工资.pdf', '工资.docx', '工资.numbers', '工资.xlsb', '工资', 'et', '工资.'])(
    'refuses %s files and names an alternative',
    (name) => {
      expect(getError(name)).toBe(`「${name}」这种文件读不了，请把表格另存为 .xlsx 再上传`)
    },
  )

  it('refuses an empty file and one that is too large', () => {
    expect(getError('工资.et', 0)).toContain('是空文件')
    expect(getError('工资.et', 21 * mb)).toContain('超过 20 MB')
  })
})
