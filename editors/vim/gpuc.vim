" gpuc's language server for Vim with vim-lsp (https://github.com/prabirshrestha/vim-lsp).
" Source this file from your vimrc. g:gpuc_flags: how C files are compiled that no
" compile_commands.json has.

autocmd BufNewFile,BufRead *.mlir setfiletype mlir
autocmd BufNewFile,BufRead *.ptx setfiletype ptx

autocmd User lsp_setup call lsp#register_server({
    \ 'name': 'gpuc',
    \ 'cmd': {server_info -> ['gpuc', 'lsp']},
    \ 'allowlist': ['c', 'mlir', 'ptx'],
    \ 'initialization_options': {'flags': get(g:, 'gpuc_flags', [])},
    \ })
