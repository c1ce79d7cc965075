-- gpuc's language server for Neovim 0.11 or later. Source this file from your init.lua.
-- vim.g.gpuc_flags: how C files are compiled that no compile_commands.json has.

vim.filetype.add({ extension = { mlir = "mlir", ptx = "ptx" } })

vim.lsp.config("gpuc", {
  cmd = { "gpuc", "lsp" },
  filetypes = { "c", "mlir", "ptx" },
  root_markers = { "compile_commands.json", ".git" },
  init_options = { flags = vim.g.gpuc_flags or {} },
})
vim.lsp.enable("gpuc")

-- What each loop became, behind its line.
vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(event)
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
  end,
})
