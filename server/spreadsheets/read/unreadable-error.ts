/** The file cannot be read. The message is in Chinese for the user who uploaded it: what is wrong and what to do. */
export class UnreadableSheetError extends Error {
  override name = 'UnreadableSheetError'
}

export const sheetLimits = {
  file_bytes: 20 * 1024 * 1024,
  /** Maximum size of a part that is unpacked as a whole. */
  part_bytes: 96 * 1024 * 1024,
  /** Unpacked bytes of a part that is streamed, and of all parts: 100,000 rows of 40 columns are 150 MB of XML. */
  sheet_bytes: 256 * 1024 * 1024,
  all_bytes: 320 * 1024 * 1024,
  sections: 2_000,
  rows: 100_000,
  columns: 300,
  /** Characters in a cell: Excel's own limit. */
  cell_signs: 32_767,
  /** Characters in the cells of a row: thirty times the length of the longest rows of wage sheets. */
  row_signs: 65_536,
} as const

/**
 * Returns the maximum number of characters in all cells, by the file size. Many cells may refer to one text, and a
 * small upload must not need much storage: a hundred thousand rows of forty columns have 50 million in 20 MB, ten
 * thousand have 5 million in 2 MB.
 */
export const getMaxCharacters = (file_bytes: number): number => 20_000_000 + file_bytes * 8

export const unreadableMessages = {
  empty: '文件是空的，请检查后重新上传',
  no_data: '表格里没有内容，请检查后重新上传',
  too_large: '文件超过 20 MB，请删去多余的内容后重新上传',
  too_many_rows: '表格超过 10 万行，请拆成几个文件上传',
  too_many_columns: '表格超过 300 列，请删去多余的列后重新上传',
  long_cell: '单元格里的文字太长（超过 3 万字），这不像工资表，请删去后重新上传',
  long_row: '有一行的文字太多，这不像工资表，请删去多余的列后重新上传',
  much_text: '表格里的文字太多，这不像工资表，请只保留工资表后重新上传',
  too_big_inside: '文件展开后太大，可能已损坏或不是工资表，请另存为新的 .xlsx 后重试',
  encrypted: '文件已加密，请在 Excel 中取消密码后重新上传',
  damaged: '文件已损坏，无法打开，请用 Excel 或 WPS 另存为 .xlsx 再上传',
  old: '文件格式太旧或不受支持，请用 Excel 或 WPS 另存为 .xlsx 再上传',
  word: '这不是表格文件，请把工资表另存为 .xlsx 再上传',
  picture: '这是图片，不是表格，请把工资表另存为 .xlsx 再上传',
  pdf: '这是 PDF 文件，不是表格，请把工资表另存为 .xlsx 再上传',
  html: '这是网页格式的文件，读不出表格，请用 Excel 或 WPS 另存为 .xlsx 再上传',
  prose: '文件里是文字，不是表格，请把工资表另存为 .xlsx 再上传',
  slow: '读取超时，文件可能太复杂，请另存为只含工资表的新文件后重试',
  renewed: '系统程序已更新，服务重新启动后才能识别文件，请联系系统管理员重启服务后重试',
  busy: '同时上传的人太多，请稍后再试',
} as const
