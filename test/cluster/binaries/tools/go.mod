module holdfast/test/cluster/binaries/tools

go 1.26.2
